// The door for sinks that write files or objects: parts of which only complete ones count, and safe cells and lines.
export { inParts, type PartWriting } from './part-series.ts'
export { guardedCell, jsonLine } from './safe-text.ts'
