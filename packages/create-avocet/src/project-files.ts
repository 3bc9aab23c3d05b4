// The files of a new project: those of its template with the names filled in, and a package.json.
import { PINNED_NODE_PACKAGES, type Dependencies } from './packages.ts'
import { templateFiles } from './template-files.ts'

/** What the user decided. */
export interface Project {
  readonly project: string
  readonly template: TemplateName
  readonly pinNode: boolean
  readonly packages: Dependencies
}

/** Text by path, relative to the project, in the order of the paths. */
export function projectFiles(wish: Project): ReadonlyMap<string, string> {
  const template: Template = TEMPLATES[wish.template]
  const files = new Map<string, string>()
  // A watch goes on until it is stopped, and an item of each visit is not what it is for.
  const output = template.changes
    ? { output: template.changes, command: '["crawl"]', changes: 'npx avocet changes --follow' }
    : { output: 'items.jsonl', command: '["crawl", "-O", ".avocet/items.jsonl"]' }
  for (const folder of template.folders) {
    const name = folder === '_plugin' ? (template.plugin ?? '') : template.spider
    const words = { name, seed: `http://127.0.0.1:8042/${template.page}`, project: wish.project, ...output }
    for (const [path, text] of templateFiles(folder, words)) files.set(path, text)
  }
  if (wish.pinNode) files.set('.npmrc', NPMRC)
  files.set('package.json', `${JSON.stringify(packageJson(wish), undefined, 2)}\n`)
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** npm compares with the Node that it runs on itself, not with the one of the project. */
const NPMRC = `# npm would warn once a package that its own Node is too old. This project brings a newer one along.
loglevel=error
`

function packageJson({ project, template, pinNode, packages }: Project): object {
  return {
    name: project,
    version: '0.0.0',
    private: true,
    type: 'module',
    ...(!pinNode && { engines: { node: '>=22.19' } }),
    scripts: {
      crawl: TEMPLATES[template].changes === undefined ? 'avocet crawl -O items.jsonl' : 'avocet crawl',
      test: 'vitest run',
      typecheck: 'tsc',
      site: 'node practice-site.ts',
    },
    dependencies: packages.dependencies,
    devDependencies: packages.devDependencies,
    ...(pinNode && { optionalDependencies: PINNED_NODE_PACKAGES }),
    ...(packages.overrides && { overrides: packages.overrides }),
    // It comes built: nothing is compiled here.
    allowScripts: { 'better-sqlite3': false },
  }
}

// The templates, and which folders of files each is made of.

/** What a template is made of. Later folders win. */
interface Template {
  readonly summary: string
  /** Folders under `templates/`. */
  readonly folders: readonly string[]
  /** Name of its spider, and the page of the practice site where it begins. */
  readonly spider: string
  readonly page: string
  /** Name of its plugin, if it has one. */
  readonly plugin?: string
  /** Where a sink of its configuration writes changes. Absent: the crawl writes items, and ends. */
  readonly changes?: string
  /** What its files import beside that which all of them do. */
  readonly packages?: readonly string[]
}

/** A template's name. */
export type TemplateName = 'basic' | 'price-watch' | 'api' | 'plugin'

/** Every template by its name, the default first. */
export const TEMPLATES: Readonly<Record<TemplateName, Template>> = {
  basic: {
    summary: 'a spider for one site',
    folders: ['_project', '_spider', 'basic'],
    spider: 'articles',
    page: 'articles.html',
  },
  'price-watch': {
    summary: 'prices of shops, hour by hour: changes, silent breaks, alerts',
    folders: ['_project', 'price-watch'],
    spider: 'price-watch',
    page: 'shop.html',
    changes: '.avocet/changes.jsonl',
    packages: ['@avocet/plugin-alerts', '@avocet/plugin-health', '@avocet/sink-files'],
  },
  api: {
    summary: 'an API that answers JSON, list by list',
    folders: ['_project', 'api'],
    spider: 'articles',
    page: 'articles.json',
  },
  plugin: {
    summary: 'a plugin of your own: its law, its test, and a crawl with it',
    folders: ['_project', '_spider', 'basic', '_plugin', 'plugin'],
    spider: 'articles',
    page: 'articles.html',
    plugin: 'rest',
  },
}

/** Their names, in that order. */
export const TEMPLATE_NAMES: readonly TemplateName[] = Object.keys(TEMPLATES) as TemplateName[]
