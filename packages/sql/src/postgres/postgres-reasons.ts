// https://www.postgresql.org/docs/current/errcodes-appendix.html, and the codes of the operating system.
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address: start it, or correct the address',
  ENOTFOUND: 'the name of its host is not known: correct the address',
  EAI_AGAIN: 'the name of its host cannot be looked up at the moment',
  ETIMEDOUT: 'it does not answer at its address: a firewall may be in between',
  ECONNRESET: 'it closed the connection',
  '28000': 'it refuses this user',
  '28P01': 'it refuses the user or the password',
  '3D000': 'it has no database of this name: create it, or correct the name',
  '42501': 'its user may not use the tables of Latchkey: grant it the rights',
  '25006': 'it is read-only: connect to the primary server',
  '53100': 'its disk is full',
  '53300': 'it has no connection left: use smaller pools, or raise max_connections',
  '57P01': 'it is shutting down',
  '57P03': 'it is starting or shutting down',
}

/** Returns the reason of a failure and its remedy, for the message of a `StoreError`; the details are in its cause. */
export function explainPostgres(code: string): string {
  const reason = reasons[code]
  return reason === undefined ? 'the database failed, for the reason in "cause"' : `the database failed: ${reason}`
}
