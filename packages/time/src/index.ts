export { abortAfter, within } from './deadlines.ts'
export { createOneATurn } from './one-a-turn.ts'
export { after, afterTurn, atDeadline, every, pause, type Timer } from './timers.ts'
export { wallClock } from './wall-clock.ts'
