/** `npm run test:exhaustive`: tests with more cases than a run on every change can afford try all of them. */
export const IS_EXHAUSTIVE = process.env.TEST_EXHAUSTIVE === '1';
