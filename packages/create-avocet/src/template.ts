// The templates, and which folders of files each is made of.

/** What a template is made of. Later folders win. */
export interface Template {
  readonly summary: string
  /** Folders under `templates/`. */
  readonly folders: readonly string[]
  /** Name of its spider, and the page of the practice site where it begins. */
  readonly spider: string
  readonly page: string
  /** Name of its plugin, if it has one. */
  readonly plugin?: string
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
    summary: 'prices of shops: lists, products, two handlers',
    folders: ['_project', 'price-watch'],
    spider: 'price-watch',
    page: 'shop.html',
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
