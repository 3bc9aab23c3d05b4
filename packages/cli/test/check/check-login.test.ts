// What `avocet check` says of a spider that logs in, without logging in.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

it('fails a login without cookies, and warns of environment variables that are not set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-check-login-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const write = (plugins: string): Promise<void> =>
    writeFile(
      join(folder, 'avocet.config.mjs'),
      `// process.env.IN_A_COMMENT
const { SHOP_USER = '', SHOP_PIN: pin } = process.env
const login = { url: 'http://127.0.0.1:1/login', submit: (page) => page.form().fill({ user: SHOP_USER, pin, password: process.env['SHOP_PASSWORD'] }).submit(), isLoggedOut: () => false }
export default { plugins: ${plugins}, spider: { name: 'members', seeds: ['http://127.0.0.1:1/'], login, handlers: { *start() {} } } }`,
    )
  const check = (env = {}) => runCli(['check', '--offline'], { folder, env })

  await write('[]')
  const bare = await check({ SHOP_USER: 'ann' })
  await write("[{ name: 'cookies' }]")
  const whole = await check({ SHOP_USER: 'ann', SHOP_PIN: '1', SHOP_PASSWORD: 'apple' })

  const text = bare.stdout.replace(/\s+/g, ' ')
  expect(text).toContain(
    'FAIL login spider members logs in, and no plugin keeps cookies: add cookies() of @avocet/plugin-cookies',
  )
  for (const name of ['SHOP_PIN', 'SHOP_PASSWORD']) expect(text).toContain(`the environment variable ${name}, which`)
  expect(text).not.toMatch(/SHOP_USER|IN_A_COMMENT/)
  expect(bare.code).toBe(4)
  expect(whole.stdout).toContain('login     not tried; its cookies are kept')
  expect(whole.stdout + whole.stderr).not.toContain('apple')
}, 60_000)
