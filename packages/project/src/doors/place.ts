// Where a command runs and what it writes: its streams, lines for people, records for programs, commands to paste.
export { sendRecord, writeDocument, writeRecords } from '../output/machines.ts'
export { type Block, draw, print, printText, say, screenOf } from '../output/people.ts'
export { outputError, writeAsIs } from '../output/write-as-is.ts'
export { type CommandProcess, forgiveRejections, type Place, placeIn, type ProcessEvents } from '../place/place.ts'
export { argumentWords, commandLine, commandName, messageAsCalled, pastedWords, shellWord } from '../text/command-line.ts'
export { HIDDEN, isRecord, valuesInWords, withoutSecrets } from '../text/value-in-words.ts'
