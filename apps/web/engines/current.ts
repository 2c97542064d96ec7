/** The engine that this page works with. */
import { computed } from '@preact/signals';
import type { Engine } from './engine.ts';
import { serviceEngine } from './service-engine.ts';

export const engine = computed<Engine>(() => serviceEngine);
