/** Shared by processes that write one audit log. */
export const auditSecrets = [{ id: 'k1', bytes: new Uint8Array(32).fill(7) }] as const
