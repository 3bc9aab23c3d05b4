// The order of the folders inside a package, from the ground floor up: an import between two of them leads to one that stands further left.

/**
 * By package: its folders under `src/`, and root files by name where they have a floor of their own. `.` is all other root files together.
 * Every package is listed.
 */
export const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  'at-rest': ['.'],
  config: ['.'],
  avocet: ['.', 'index.ts'],
  cli: [
    // What a crawl has done and left undone, in words, and what a store knows of it.
    ...['text', 'exit-code.ts', 'store'],
    // What the visits of a page brought, and what changed between them.
    'visits',
    // A room for each command, or for a few that belong together: `command.ts` declares it, and loads nothing.
    ...[
      'export',
      'upkeep',
      'changes',
      'why',
      // How each host was treated, from its store.
      'treatment',
      'view',
      // Several processes that crawl one store: what they share, and what is said of them as one.
      'processes',
      'control',
      'failed',
      // The page: also of a crawl that runs.
      'ui',
      'report',
      'crawl',
      'replay',
      'rejects',
      'scope',
      'check',
      'identity',
    ],
    // All of them, and what reads a command line.
    ...['command-line', 'run-command-line.ts', 'main.ts', 'index.ts'],
  ],
  core: [
    // Errors, options and plain data; the ports, in types; pure laws.
    ...['values', 'ports', 'laws', 'url', 'process', 'faults'],
    // What a host is, what plugins say of it, and what all parts of a run share.
    ...['hosts', 'hooks', 'run'],
    // A URL on its way.
    ...['scheduler', 'discovery', 'exchange', 'pages', 'crawl'],
    'doors',
    'index.ts',
  ],
  'create-avocet': ['.'],
  // Ports and data, who serves them, and the page in the browser, which is bundled.
  dashboard: ['.', 'server', 'page', 'index.ts'],
  // The rooms of the commands, by who uses whom.
  dev: ['fetch', 'parse', 'shell', 'new', 'index.ts'],
  extract: ['.'],
  delivery: ['.', 'files.ts'],
  'fetcher-browser': ['.'],
  'fetcher-http': [
    ...['lookup.ts', 'turnstile.ts', 'deadlines.ts', 'failure-code.ts', 'response-head.ts'],
    ...['names', 'connector.ts', 'dispatch.ts', 'wire-tap.ts', 'http2', 'proxies', '.', 'index.ts'],
  ],
  metrics: ['laws', '.'],
  page: ['markup', 'data', '.'],
  'plugin-adaptive-timeout': ['timeout-law.ts', 'laws', '.'],
  'plugin-aimd': ['pace.ts', 'rate-law.ts', 'signals', 'rate-advice.ts', 'window-law.ts', 'laws', '.'],
  'plugin-alerts': ['laws', '.'],
  'plugin-breaker': ['.'],
  'plugin-login': ['.'],
  'plugin-journal': ['laws', '.'],
  'plugin-freshness': ['.'],
  'plugin-recrawl': ['visits.ts', '.'],
  'plugin-retry': ['.'],
  'plugin-secrets': ['.'],
  'plugin-robots': ['.'],
  'plugin-postgres': [
    ...['schema', 'connection', 'names', 'identity', 'read', 'yields', 'catalogue', 'process'],
    ...['leased-of.ts', 'held-host.ts', 'store.ts', 'commit', '.'],
  ],
  'plugin-sqlite': [
    ...['file', 'cache', 'identity', 'queue', 'outcome', 'process', 'read', 'verify', 'upkeep'],
    ...['store.ts', 'commit', 'reschedule.ts', 'leasing.ts', '.'],
  ],
  'plugin-cookies': ['.'],
  'plugin-proxies': ['.'],
  'plugin-signature': ['.'],
  'plugin-files': ['.'],
  'plugin-sitemaps': ['.'],
  'plugin-health': ['laws', '.'],
  'plugin-traps': ['.'],
  'preset-polite': ['.'],
  // Words for people and for programs, where a command runs, what was typed; then the files of a project, and the plan of a crawl.
  project: [...['text', 'output', 'log', 'place', 'options', 'config', 'store', 'spiders', 'plan'], 'doors'],
  'sink-files': ['.'],
  'sink-parquet': ['.'],
  'sink-postgres': ['.'],
  'sink-s3': ['.'],
  'sink-webhook': ['.'],
  simulator: [
    ...['seeded.ts', 'virtual-clock.ts', 'felt.ts', 'decision-log.ts', 'read-page.ts'],
    ...['site-model', 'worlds', 'simulated-web', '.'],
  ],
  'store-memory': ['.'],
  'store-sql': ['.'],
  testkit: ['contracts'],
}
