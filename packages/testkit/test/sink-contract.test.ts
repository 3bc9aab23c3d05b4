// The sink contract, passed by the simplest sinks: a list that has items at least once, and one that keeps its own mark.
import { sink, type Sink, type SinkMark } from '@avocet/core/sink'
import { sinkContract } from '../src/contracts/index.ts'

interface Listed {
  readonly n: number
  readonly key: string
}

sinkContract(
  'of a function',
  () => {
    const list: Listed[] = []
    return {
      sink: () =>
        sink<{ n: number }>((items) => void list.push(...items.map(({ key, value: { n } }) => ({ n, key }))), { name: 'list' }),
      written: async () => list,
      dispose: async () => undefined,
    }
  },
  { exactlyOnce: false },
)

sinkContract(
  'with a mark of its own',
  () => {
    const place: { list: Listed[]; mark: SinkMark | undefined } = { list: [], mark: undefined }
    const make = (): Sink => {
      let at: SinkMark | undefined
      return {
        name: 'own',
        open() {
          at = place.mark
          return at
        },
        write({ items, mark }) {
          if (at?.itemSeq !== place.mark?.itemSeq) throw new Error('another process has written')
          const known = new Set(place.list.map(({ key }) => key))
          // Of items that come late, after they were set aside, the mark says nothing.
          const missing = items.filter(({ key }) => !known.has(key))
          place.list.push(...missing.map(({ key, value }) => ({ n: (value as { n: number }).n, key })))
          place.mark = at = mark
        },
      }
    }
    return { sink: make, written: async () => place.list, dispose: async () => undefined }
  },
  { exactlyOnce: true, fenced: true },
)
