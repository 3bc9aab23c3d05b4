// Fetches pages with a browser, for those that build themselves by script.
export { browser } from './browser.ts'
export type { BrowserOptions, RenderRule } from './options.ts'
