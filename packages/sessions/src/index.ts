export type { Device } from './device.ts'
export type { ListedSession } from './listed-session.ts'
export type { RefreshFamily } from './refresh-family.ts'
export {
  createRefreshTokens,
  type RefreshInput,
  type RefreshRefusal,
  type RefreshTokens,
  type RefreshTokensOptions,
  type RefreshVerdict,
} from './refresh-tokens.ts'
export type { Session } from './session.ts'
export {
  createSessions,
  type IssuedSession,
  type SessionInput,
  type Sessions,
  type SessionsOptions,
} from './sessions.ts'
export type { SessionsEvent } from './sessions-event.ts'
