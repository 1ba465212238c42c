export { cpuMilliseconds, medianCpuMilliseconds } from './cpu-milliseconds.ts'
export { describePasskeyRaces, type PasskeyRaces } from './describe-passkey-races.ts'
export { type Disguise, disguises, type PlainGuess, plainGuess, type SentGuess } from './disguised-guesses.ts'
export { type DocumentHost, openDocumentHost, pocketCallback } from './document-host.ts'
export { expectWithin, median, patienceMs } from './expect-within.ts'
export { collectTests, failedTitles, failuresOf, type KitRunner, type KitTest } from './kit-tests.ts'
export { startMariadb } from './mariadb-server.ts'
export {
  type CarelessStore,
  carelessChanges,
  carelessLists,
  carelessMethods,
  carelessNumbers,
  carelessTexts,
  type FieldPlace,
} from './mistakes/careless-mistakes.ts'
export { describeOutageMistakes, type OutageMistakesOptions } from './mistakes/describe-outage-mistakes.ts'
export { node22 } from './node-22.ts'
export { startPgbouncer } from './pgbouncer-server.ts'
export { startPostgres } from './postgres-server.ts'
export { createFreezingProxy, type FreezingProxy } from './proxies/freezing-proxy.ts'
export { createTcpProxy, type TcpProxy } from './proxies/tcp-proxy.ts'
export { startRedis } from './redis-server.ts'
export { descendantsOf, findFreePort, findProgram, type TestServer } from './server-process.ts'
export { startStopwatch } from './stopwatch.ts'
export { codeAt } from './totp-code.ts'
export { type TestService, useService } from './use-service.ts'
export { withoutPlatform } from './without-platform.ts'
