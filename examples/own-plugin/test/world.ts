// The site that the spider and the plugin are tried on, and what stands there.
import { siteModel, type SiteModel } from '@avocet/simulator'
import type { Title } from '../spider.ts'

/** 30 pages, and what sites have besides: redirects, links to nothing, documents that are not HTML. */
export const world: SiteModel = siteModel({
  seed: 'own-plugin',
  hosts: [
    {
      name: 'site.test',
      pages: { kind: 'tree', pages: 30, extras: { redirects: 2, missing: 2, documents: 3 } },
      latency: { law: 'fixed', ms: 10 },
    },
  ],
})

/** What the spider should find. */
export function expectedItems(model: SiteModel): readonly Title[] {
  return model.expected.pages().map((url) => ({ url, title: titleAt(model, url) }))
}

/** What `avocet crawl` is told, for `model`. */
export function commandWords(model: SiteModel): readonly string[] {
  const folder = `${import.meta.dirname}/..`
  return [`${folder}/spider.ts`, '--config', `${folder}/avocet.config.ts`, '-a', `site=${model.seeds()[0] ?? ''}`]
}

/** Titles of this model hold no markup. */
function titleAt(model: SiteModel, url: string): string {
  const html = new TextDecoder().decode(model.page('site.test', new URL(url).pathname)?.body)
  return /<title>([^<]*)/.exec(html)?.[1] ?? ''
}
