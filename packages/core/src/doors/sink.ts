// The door for authors of sinks: where committed items go.
export {
  ItemsRefused,
  type Sink,
  type SinkBatch,
  type SinkItem,
  type SinkLimits,
  type SinkMark,
  type SinkSession,
  type Written,
} from '../sink.ts'
