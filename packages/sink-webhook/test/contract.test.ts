// A webhook passes the contract of sinks: each item at least once, whatever dies in between.
import { webhook } from '@avocet/sink-webhook'
import { sinkContract } from '@avocet/testkit/contracts'
import { startReceiver } from './receiver.ts'

interface Posted {
  readonly items: readonly { readonly key: string; readonly item: { readonly n: number } }[]
}

sinkContract(
  'of a webhook',
  async () => {
    const receiver = await startReceiver((_, response) => response.end())
    return {
      sink: () => webhook({ url: receiver.url }),
      written: async () =>
        receiver.received.flatMap(({ body }) => (JSON.parse(body) as Posted).items.map(({ key, item: { n } }) => ({ key, n }))),
      dispose: async () => receiver[Symbol.asyncDispose](),
    }
  },
  { exactlyOnce: false },
)
