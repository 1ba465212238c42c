import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** A session and its account, as one read returns them. */
export interface SessionRow {
  readonly secretHash: Uint8Array
  readonly expiresAt: number
  readonly sessionEpoch: number
  readonly accountId: string
  readonly accountEpoch: number
  readonly status: string
  readonly roles: string
}

/** The minimum of correct code: one read of a session with its account, and its checks. */
export interface SessionsByHand {
  /** The cookie that a client shows. */
  readonly cookie: string
  /** The id of that session, for the claim `sid` of a token. */
  readonly id: string
  /** Returns the session of a `Cookie` header, or `null`. */
  byCookie(header: string | undefined): Accepted
  /** Returns a session by its id, for a token that was verified. */
  byId(id: string): Accepted
  close(): Promise<void>
}

type Accepted = SessionRow | null | Promise<SessionRow | null>

export type HandStore = 'memory' | 'SQLite' | 'PostgreSQL'

type ReadRow = (id: string) => SessionRow | null | Promise<SessionRow | null>

const columns = `s.secret_hash as "secretHash", s.expires_at as "expiresAt", s.epoch as "sessionEpoch",
  a.id as "accountId", a.epoch as "accountEpoch", a.status, a.roles`
const joined = `select ${columns} from hand_sessions s join hand_accounts a on a.id = s.account_id where s.id = `

const tables = (bytes: 'blob' | 'bytea'): string => `
  create table if not exists hand_accounts (id text primary key, status text not null, epoch int not null, roles text not null);
  create table if not exists hand_sessions (
    id text primary key, account_id text not null, secret_hash ${bytes} not null, expires_at bigint not null, epoch int not null
  );`

const account = ['acc_1', 'active', 0, 'READER'] as const
const hours8 = 28_800_000

/** Opens one of them, with one session in it. */
export async function openSessionsByHand(store: HandStore, place: string): Promise<SessionsByHand> {
  const [id, secret] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')]
  const secretHash = createHash('sha256').update(secret).digest()
  const { read, close } = await openers[store](place, [id, account[0], secretHash, Date.now() + hours8, 0])
  const check = (row: SessionRow | null, shown: Uint8Array | null): SessionRow | null => {
    if (row?.status !== 'active' || row.accountEpoch !== row.sessionEpoch) return null
    if (Number(row.expiresAt) <= Date.now()) return null
    return shown === null || timingSafeEqual(row.secretHash, shown) ? row : null
  }
  const accept = (presentedId: string, shown: Uint8Array | null): Accepted => {
    const row = read(presentedId)
    return row instanceof Promise ? row.then((found) => check(found, shown)) : check(row, shown)
  }
  return {
    cookie: `${cookieName}=${id}.${secret}`,
    id,
    byCookie(header) {
      const credential = findCookie(header)
      const dot = credential?.indexOf('.') ?? -1
      if (!credential || dot < 0) return null
      return accept(credential.slice(0, dot), hash('sha256', credential.slice(dot + 1), 'buffer'))
    },
    byId: (presentedId) => accept(presentedId, null),
    close,
  }
}

const cookieName = '__Host-session'

function findCookie(header: string | undefined): string | null {
  for (const pair of header?.split(';') ?? []) {
    const text = pair.trim()
    if (text.startsWith(`${cookieName}=`)) return text.slice(cookieName.length + 1)
  }
  return null
}

type NewSession = readonly [id: string, accountId: string, secretHash: Buffer, expiresAt: number, epoch: number]
type Opener = (place: string, session: NewSession) => Promise<{ read: ReadRow; close(): Promise<void> }>

const openers: Readonly<Record<HandStore, Opener>> = {
  async memory(_place, [id, accountId, secretHash, expiresAt, sessionEpoch]) {
    const [, status, accountEpoch, roles] = account
    const sessions = new Map([[id, { secretHash, expiresAt, sessionEpoch, accountId }]])
    const accounts = new Map([[accountId, { accountEpoch, status, roles }]])
    const read: ReadRow = (shown) => {
      const session = sessions.get(shown)
      const owner = session && accounts.get(session.accountId)
      return owner ? { ...session, ...owner } : null
    }
    return { read, close: async () => {} }
  },

  async SQLite(file, session) {
    const database = new DatabaseSync(file)
    database.exec(`pragma journal_mode = wal; ${tables('blob')}`)
    database.prepare('insert or ignore into hand_accounts values (?, ?, ?, ?)').run(...account)
    database.prepare('insert into hand_sessions values (?, ?, ?, ?, ?)').run(...session)
    const statement = database.prepare(`${joined}?`)
    const read: ReadRow = (shown) => (statement.get(shown) as SessionRow | undefined) ?? null
    return { read, close: async () => database.close() }
  },

  async PostgreSQL(url, session) {
    const pool = new pg.Pool({ connectionString: url })
    pool.on('error', () => {})
    await pool.query(tables('bytea'))
    await pool.query('insert into hand_accounts values ($1, $2, $3, $4) on conflict do nothing', [...account])
    await pool.query('insert into hand_sessions values ($1, $2, $3, $4, $5)', [...session])
    const read: ReadRow = async (shown) => {
      const { rows } = await pool.query<SessionRow>({ name: 'session', text: `${joined}$1`, values: [shown] })
      return rows[0] ?? null
    }
    return { read, close: () => pool.end() }
  },
}
