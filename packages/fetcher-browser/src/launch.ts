// Starts a browser process, with flags that leave it no way around the proxy of the crawl.
import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AvocetError } from '@avocet/core'
import { isRunning } from '@avocet/core/store'
import type { Browser as Process, BrowserType } from 'playwright-core'
import { ignored } from './unless-late.ts'

/** For a browser to start. */
const START_MS = 30_000

/**
 * Nothing that a page has not asked for, no way around the proxy, and no protocol that the proxy does not speak. Without `--disable-features`, of which
 * the last counts:
 * Playwright has a list of its own, which keeps Chromium from requesting https where the page says http.
 */
const FLAGS = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--no-first-run',
  '--no-pings',
  '--dns-prefetch-disable',
  // A tab whose scripts hold more crashes, instead of taking the memory of the machine. Pages of the largest sites stay below 300 MB.
  '--js-flags=--max-old-space-size=512',
]

/** A browser that runs. */
export interface Launched {
  readonly browser: Process
  /** Of its main process, which leads a group of its own. */
  readonly pid: number | undefined
  /** Of the processes of its pages. One that does not react never says. */
  readonly tabs: () => Promise<readonly number[]>
}

/** Starts one. Rejects with what Playwright says. */
export type Launch = () => Promise<Launched>

/** Starts the browser at `executablePath`, or the one that Playwright has installed. */
export function launchOf(executablePath: string | undefined): Launch {
  return async () => {
    const { chromium } = await import('playwright-core')
    await removeLeftProfiles().catch(ignored)
    const browser = await chromium.launch(launchOptions(executablePath))
    const session = await browser.newBrowserCDPSession()
    const pidsOf = async (kind: string): Promise<readonly number[]> => {
      const { processInfo } = await session.send('SystemInfo.getProcessInfo')
      return processInfo.flatMap(({ type, id }) => (type === kind ? [id] : []))
    }
    const [pid] = await pidsOf('browser')
    const { commandLine } = await session.send('SystemInfo.getInfo')
    const [, profile] = / --user-data-dir=(.*?)(?: --|$)/.exec(commandLine) ?? []
    if (profile !== undefined) await writeFile(join(profile, OWNER), `${process.pid} ${await namespace()}`).catch(ignored)
    return { browser, pid, tabs: () => pidsOf('renderer') }
  }
}

/** In the profile of a browser that we started: the id of our process, and where it is one. */
const OWNER = 'avocet-owner.txt'

/** Of process ids: containers have their own; '' where unknown. */
async function namespace(): Promise<string> {
  return (await readlink('/proc/self/ns/pid').catch(ignored)) ?? ''
}

/** Removes profiles that killed crawls have left, 26 MB and more each: Playwright removes one when its own process ends in order. */
async function removeLeftProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith('playwright_chromiumdev_profile-')) continue
    const profile = join(tmpdir(), name)
    const owner = await readFile(join(profile, OWNER), 'utf8').catch(ignored)
    const [pid, where] = owner?.split(' ') ?? []
    if (where !== (await namespace()) || isRunning(Number(pid))) continue
    await rm(profile, { recursive: true, force: true }).catch(ignored)
  }
}

function launchOptions(executablePath: string | undefined): Parameters<BrowserType['launch']>[0] {
  // Chromium refuses to run as root with its sandbox. In a container that runs as root there is nothing else.
  const isRoot = process.getuid?.() === 0
  return {
    ...(executablePath !== undefined && { executablePath }),
    args: FLAGS,
    chromiumSandbox: !isRoot,
    timeout: START_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  }
}

// Where a browser is on this machine.

/** Where systems and their packages put Chromium and Chrome. */
const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * Path of the browser. Undefined: the one that Playwright has installed, if it has. Throws AVO_BROWSER_MISSING where `given` is none, and without
 * Playwright.
 */
export function executableOf(given: string | undefined): string | undefined {
  try {
    import.meta.resolve('playwright-core')
  } catch (cause) {
    throw missing('the package playwright-core, got none; run npm install playwright-core', cause)
  }
  if (given !== undefined && !existsSync(given))
    throw missing(`a browser at ${given}, found none; install Chromium there, or correct executablePath`)
  return given ?? USUAL.find((path) => existsSync(path))
}

/** The error of a machine without a browser. */
export function missing(what: string, cause?: unknown): AvocetError {
  return new AvocetError('AVO_BROWSER_MISSING', `expected ${what}`, cause === undefined ? {} : { cause })
}
