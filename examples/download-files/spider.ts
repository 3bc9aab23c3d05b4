// Teas with their photos and manuals: items have references, and files come when they come.
import { spider, type Spider } from 'avocet'
import { file } from '@avocet/plugin-files'

/** One tea. */
export type Tea = {
  readonly name: string
  /** Reference of its photo. */
  readonly photo: string
  /** Reference of its manual, which several teas share. */
  readonly manual: string
}

/** `avocet crawl spider.ts --config avocet.config.ts -a site=http://127.0.0.1:8046`. */
export default ({ site = 'http://127.0.0.1:8046' }: Readonly<Record<string, string>>): Spider<Tea> =>
  spider({
    name: 'download-files',
    seeds: [`${site}/`],
    handlers: {
      *start(page) {
        yield* page.links('a.tea', { handler: 'tea' })
      },
      *tea(page) {
        const photo = file(page, page.$('img.photo').attr('src'), { to: 'photos', types: ['image/*'] })
        const manual = file(page, page.$('a.manual').attr('href'), { to: 'manuals', types: ['application/pdf'] })
        yield photo
        yield manual
        yield { name: page.text('h1'), photo: photo.ref, manual: manual.ref }
      },
    },
  }) satisfies Spider<Tea>
