// The door of @avocet/stress/shops: shops whose prices change and whose pages break, with the truth about both.
export { BREAK_KINDS, type BreakKind, type BreakSpec } from './breaks.ts'
export { drawsOf } from './draws.ts'
export type { Offer } from './product-life.ts'
export { Shop, type Sight } from './shop.ts'
export { shopsOf, shopsWeb, type ServedVisit, type Shops, type ShopsOptions } from './world.ts'
export { DAY_MS, HOUR_MS } from './week.ts'
