// What `avocet check` says of a spider that logs in, without logging in.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

it('fails a login without cookies', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-check-login-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const write = (plugins: string): Promise<void> =>
    writeFile(
      join(folder, 'avocet.config.mjs'),
      `const login = { url: 'http://127.0.0.1:39999/login', submit: (page) => page.form().submit(), isLoggedOut: () => false }
export default { plugins: ${plugins}, spider: { name: 'members', seeds: ['http://127.0.0.1:39999/'], login, handlers: { *start() {} } } }`,
    )
  const check = () => runCli(['check', '--offline'], { folder })

  await write('[]')
  const bare = await check()
  await write("[{ name: 'cookies' }]")
  const whole = await check()

  const text = bare.stdout.replace(/\s+/g, ' ')
  expect(text).toContain(
    'FAIL login spider members logs in, and no plugin keeps cookies: add cookies() of @avocet/plugin-cookies',
  )
  expect(bare.code).toBe(4)
  expect(whole.stdout).toContain('login     not tried; its cookies are kept')
}, 60_000)
