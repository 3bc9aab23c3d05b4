// Where a browser is on this machine.
import { existsSync } from 'node:fs'
import { AvocetError } from '@avocet/core'

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
