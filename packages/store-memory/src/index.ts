// A store in memory: nothing of it outlives the process.
export { memoryFrontier } from './memory-frontier.ts'
