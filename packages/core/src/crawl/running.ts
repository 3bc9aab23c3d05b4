// What a running crawl needs, in one import: three quarters of core, which a program that only reads a configuration does not load.
export { SeedFlow } from '../discovery/seed-flow.ts'
export { beats } from './beats.ts'
export { closeRun } from './close-run.ts'
export { Drain } from './drain.ts'
export { Engine } from './engine.ts'
export { explainHeldHost } from './status-of.ts'
export { openRun } from './open-run.ts'
