// The door for authors of sinks: where committed items go.
export { sink } from '../sinks/function-sink.ts'
export { PartSeries, type PartWriting } from '../sinks/part-series.ts'
export {
  ItemsRefused,
  SinkDown,
  SinkElsewhere,
  type Sink,
  type SinkBatch,
  type SinkItem,
  type SinkLimits,
  type SinkMark,
  type SinkSession,
  type Written,
} from '../sink.ts'
export { guardedCell } from '../csv-formula.ts'
export { jsonLine } from '../json-line.ts'
