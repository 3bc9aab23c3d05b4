// Crawls the pages for members of a site: logs in by its form, and again whenever the site says that the session has ended.
import { spider, type Page } from 'avocet'

/** `avocet crawl spider.ts -a site=http://127.0.0.1:8045`; the password of ann is in MEMBERS_PASSWORD. */
export default ({ site = 'http://127.0.0.1:8045' }: Readonly<Record<string, string>>) =>
  spider({
    name: 'members',
    seeds: [`${site}/`],
    login: {
      url: `${site}/login`,
      submit: (page) =>
        page
          .form('#login')
          .fill({ user: 'ann', password: process.env['MEMBERS_PASSWORD'] ?? '' })
          .submit(),
      // With status 200: only the page says it.
      isLoggedOut: (page) => page.$('.logged-out').length > 0,
    },
    handlers: {
      *start(page: Page) {
        const number = page.$('h1').attr('data-number')
        if (number !== undefined) yield { number: Number(number), user: page.text('h1').replace(/.* /, '') }
        yield* page.links()
      },
    },
  })
