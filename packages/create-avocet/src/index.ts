// The one door of create-avocet: what its bin starts, and the templates for `avocet new`.
export { createAvocet } from './main.ts'
export type { Surroundings } from './surroundings.ts'
export { camelCase, templateFiles, writeFiles, type TemplateWords } from './template-files.ts'
