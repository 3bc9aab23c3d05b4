// The sink contract, on an object store that checks signatures and conditions.
import { sinkContract } from '@avocet/testkit/contracts'
import { s3 } from '../src/index.ts'
import { KEY_ID, S3Server, SECRET } from './s3-server.ts'

const DAY_MS = 86_400_000
const credentials = { accessKeyId: KEY_ID, secretAccessKey: SECRET }

for (const maxBytes of [1, 60, 10_000])
  sinkContract(
    `s3, ${maxBytes} bytes an object`,
    async () => {
      const store = await S3Server.start()
      return {
        sink: () =>
          s3({ bucket: 'harvest', endpoint: store.endpoint, credentials, gzip: false, maxBytes, everyMs: DAY_MS, name: 's3' }),
        async written() {
          const objects = [...store.objects].sort(([a], [b]) => (a < b ? -1 : 1))
          const lines = objects.flatMap(([, { body }]) => body.toString().trim().split('\n'))
          return lines.map((line) => JSON.parse(line) as { n: number })
        },
        dispose: () => store.close(),
      }
    },
    { exactlyOnce: true, gathers: maxBytes > 1 },
  )
