// A crawl that is to render pages on a machine that cannot: one line that says what to install, and exit code 3.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { spawnCli } from '../../../packages/cli/test/run-cli.ts'

/** As on a machine where it is not installed. */
const WITHOUT_PLAYWRIGHT = `import { registerHooks } from 'node:module'
  registerHooks({ resolve(name, context, next) {
    if (name !== 'playwright-core') return next(name, context)
    throw Object.assign(new Error('Cannot find package playwright-core'), { code: 'ERR_MODULE_NOT_FOUND' })
  } })`

function folderWith(options: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-missing-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const door = join(import.meta.dirname, '../../../packages/fetcher-browser/src/index.ts')
  const config = `import { browser } from ${JSON.stringify(door)}\nexport default { browser: browser(${options}) }`
  writeFileSync(join(folder, 'avocet.config.ts'), config)
  return folder
}

describe('a machine without', () => {
  it.each([
    [
      'playwright-core',
      '{ rules: [{}] }',
      { NODE_OPTIONS: `--import ${JSON.stringify(`data:text/javascript,${encodeURIComponent(WITHOUT_PLAYWRIGHT)}`)}` },
      'expected the package playwright-core, got none; run npm install playwright-core',
    ],
    [
      'the browser that is named',
      "{ rules: [{}], executablePath: '/nowhere/chromium' }",
      {},
      'expected a browser at /nowhere/chromium, found none; install Chromium there, or correct executablePath',
    ],
  ])('%s is told so in one line, with exit code 3', { timeout: 60_000 }, async (_what, options, env, message) => {
    const folder = folderWith(options)

    const { code, stderr } = await spawnCli(['crawl', 'http://127.0.0.1:9/'], { folder, env })

    expect(code).toBe(3)
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line.includes('AVO_BROWSER_MISSING')),
    ).toEqual([expect.stringContaining(message)])
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})
