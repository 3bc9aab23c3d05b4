// Writes the items of an Avocet crawl to S3 or a compatible object store.
export type { S3Credentials, S3Options } from './options.ts'
export { s3 } from './s3.ts'
