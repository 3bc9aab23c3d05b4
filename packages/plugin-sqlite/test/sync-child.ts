// Says on standard error what it does, so that whoever watches its system calls sees what was forced to disk in between: `sync-child.ts PATH full|normal`.
import type { Fingerprint } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'

const [path = '', level = ''] = process.argv.slice(2)
const frontier = sqlite(path, { synchronous: level === 'full' ? 'full' : 'normal' })
await frontier.open({ name: 'sync', hostKeying: 'host' }, 1)
process.stderr.write('begin add\n')
const fingerprint = '0123456789abcdef' as Fingerprint
await frontier.add([{ fingerprint, hostKey: 'a.example', url: 'https://a.example/', handler: 'start', depth: 0, priority: 0 }])
process.stderr.write('begin mark\n')
await frontier.sinks.keep({ name: 'out.jsonl', written: 0, mark: { itemSeq: 0, state: { bytes: 0 } } })
process.stderr.write('begin close\n')
await frontier.close()
