// The door for authors of sinks: where committed items go.
export { sink } from '../ports/function-sink.ts'
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
} from '../ports/sink.ts'
