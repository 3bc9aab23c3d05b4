// Sessions and credentials of a configuration, as the command treats them: what it shows, what it refuses, and the proxies that it names.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'

let folder: string

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'avocet-session-settings-'))))
afterEach(() => rm(folder, { recursive: true }))

const configured = (text: string): Promise<void> => writeFile(join(folder, 'avocet.config.mjs'), `export default ${text}`)

describe('sessions and credentials', () => {
  it('are shown by avocet check --values without the values of header fields and the password of a proxy', async () => {
    await configured(`{
      credentials: { 'https://a.test': { bearer: { env: 'A_TOKEN' } } },
      sessions: { alice: { headers: { 'X-Shop': 'hush-1' }, proxy: 'http://me:hush-2@proxy.test:8080', userAgent: 'phone' } },
    }`)
    const { stdout, code } = await runCli(['check', '--values', '--json'], { folder })

    const { values } = JSON.parse(stdout) as { values: Record<string, { value: unknown }> }
    expect(code).toBe(0)
    expect(values['credentials']?.value).toEqual({ 'https://a.test': { bearer: { env: 'A_TOKEN' } } })
    expect(values['sessions']?.value).toEqual({
      alice: { userAgent: 'phone', headers: { 'X-Shop': '(hidden)' }, proxy: 'http://proxy.test:8080' },
    })
    expect(stdout).not.toContain('hush')
  })

  it('end the command before a request is sent where a value is missing: one line, exit code 3', async () => {
    await configured(`{ credentials: { 'http://127.0.0.1:39999': { bearer: { env: 'NOT_SET_ANYWHERE' } } } }`)
    const { stderr, code } = await runCli(['crawl', 'http://127.0.0.1:39999/', '--store', ':memory:'], { folder })

    expect(code).toBe(3)
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('the environment variable NOT_SET_ANYWHERE')])
  })

  it('say through which proxy a session goes', async () => {
    await configured(`{ sessions: { alice: { proxy: 'http://me:hush@127.0.0.1:9' }, bob: { proxy: 'direct' } } }`)
    const { stderr } = await runCli(['crawl', 'http://127.0.0.1:39999/', '--store', ':memory:', '--max-time', '1s'], { folder })

    expect(stderr).toContain('proxies: session alice through http://127.0.0.1:9; directly: session bob; by the configuration')
    expect(stderr).not.toContain('hush')
  })
})
