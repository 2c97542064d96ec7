/** `npm run test:exhaustive`: tests with more cases than a run on every change can afford try all of them. */
export const IS_EXHAUSTIVE = process.env.TEST_EXHAUSTIVE === '1';
/** For tests whose cases others cover in part. */
export const onlyExhaustive: false | string = IS_EXHAUSTIVE ? false : 'runs with TEST_EXHAUSTIVE=1';
