// Delivers committed items to sinks: all sinks of a crawl, or one sink from a store without a crawl.
export { SinkDeliveries } from './deliveries.ts'
export { Delivery } from './delivery.ts'
export type { DeliveryParts } from './delivery-parts.ts'
export { itemChangeOf, type ItemChange } from './delivery-parts.ts'
export type { SinkRejects } from './sink-rejects.ts'
