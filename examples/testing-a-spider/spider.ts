// Teaches how a spider is tested: this one reads prices, and `test/` has its two tests, of a handler and of a whole crawl.
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Offer {
  readonly name: string
  readonly price: number
}

export default spider({
  name: 'offers',
  seeds: ['https://shop.example/'],
  handlers: {
    *start(page) {
      yield* page.links('a.category, a.next')
      yield* page.links('a.product', { handler: 'offer' })
    },
    *offer(page) {
      yield { name: page.text('h1'), price: Number(page.text('.price')) }
    },
  },
}) satisfies Spider<Offer>
