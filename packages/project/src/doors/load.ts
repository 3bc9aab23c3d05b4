// Loads the files of a project: its configuration, its spiders, lists of seeds.
export { checkConfig, configuredStore, type ConfigPlace, loadConfig } from '../config/config-file.ts'
export { checkFound, loadModule, reloadBelow } from '../config/load-module.ts'
export { type ChosenOption, type Origin, originOfOption } from '../config/precedence.ts'
export { type ChosenSpider, isSpiderFile, namedSpider, pageSpider, spiderToReload } from '../spiders/chosen-spider.ts'
export { checkSeedUrl, typedHost } from '../spiders/seed-list.ts'
export { argumentLines, argumentsOf, checkSpider, spiderCommands, spiderFiles, spiderSeedsOf } from '../spiders/spider-files.ts'
export { filesNaming, sourceFiles } from '../spiders/spider-by-name.ts'
