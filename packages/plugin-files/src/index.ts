// The one door of @avocet/plugin-files.
export { file, FileLink, type FileRecord } from './file.ts'
export { files } from './files.ts'
export type { DownloadOptions, FilesOptions } from './options.ts'
