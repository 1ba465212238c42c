/** @throws TypeError unless each role can stand in the `role` claim, which joins them with a space. */
export function checkRoles(roles: readonly string[], name: string): void {
  const isRole = (role: unknown): boolean => typeof role === 'string' && /^[^\s\p{Cc}]{1,100}$/u.test(role)
  if (!Array.isArray(roles) || !roles.every(isRole)) {
    throw new TypeError(`"${name}": a role is a text of 1 to 100 characters without white space`)
  }
}
