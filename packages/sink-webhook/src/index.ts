// The one door of @avocet/sink-webhook.
export type { WebhookOptions } from './options.ts'
export { webhook } from './webhook.ts'
