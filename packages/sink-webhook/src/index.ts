// Posts the items of an Avocet crawl to a webhook, signed and with idempotency keys.
export {}
