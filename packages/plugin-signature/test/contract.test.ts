// The promises of every plugin.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pluginContract } from '@avocet/testkit/contracts'
import { newKey } from '../src/identity.ts'
import { signature } from '../src/index.ts'

const key = join(mkdtempSync(join(tmpdir(), 'avocet-signature-')), 'key.json')
writeFileSync(key, newKey(0).text, { mode: 0o600 })

pluginContract('signature', () => signature({ key, agent: 'https://bot.example' }))
