// What stands against providers and their users who are let into an account that is not theirs.

const proof = 'packages/accounts/src/providers/provider-proof.ts'
const linking = 'packages/accounts/src/use-cases/providers/link-provider.ts'
const signIn = 'packages/accounts/test/providers/sign-in-with-provider.test.ts'
const linkProofs = 'packages/accounts/test/providers/link-proofs.test.ts'

export const providers = [
  {
    name: 'provider-subject',
    against: 'Misused providers',
    what: 'an account is found by issuer and subject, and never by an address',
    file: 'packages/accounts/src/use-cases/providers/open-account.ts',
    from: "  if (await accounts.getByEmail(account.email)) return (await providers.links.get(issuer, subject)) ?? 'email-held'\n",
    to: '  const held = await accounts.getByEmail(account.email)\n  if (held) await providers.links.insert({ issuer, subject, accountId: held.id, createdAt: now() })\n  if (held) return providers.links.get(issuer, subject)\n',
    test: 'packages/accounts/test/providers/new-accounts.test.ts',
    title: 'is refused the address of an account that is active, and the accounts are unchanged',
    written: 'is refused the address of an account that is %s, and the accounts are unchanged',
  },
  {
    name: 'provider-binding',
    against: 'Misused providers',
    what: 'a callback links in the session that has begun it, and for that alone',
    file: linking,
    from: "  if (!isBoundTo(binding, 'link', identity.key ?? null)) return refuse('other-session')\n",
    to: '',
    test: linkProofs,
    title: 'is not made by a callback that was begun in another session of the account',
    written: 'is not made by a callback that was %s',
  },
  {
    name: 'provider-fresh-proof',
    against: 'Misused providers',
    what: 'a link needs a proof of who is signed in of the last five minutes',
    file: linking,
    from: "  if (!hasFreshProof(holder.account, identity.factors ?? [], context.now())) return refuse('proof-stale')\n",
    to: '',
    test: linkProofs,
    title: 'linkProvider of an account with a second factor needs a proof of it within 300 seconds: totp',
    written: 'linkProvider of an account with a second factor needs a proof of it within 300 seconds: %s',
  },
  {
    name: 'provider-one-factor',
    against: 'Misused providers',
    what: 'a sign-in with a provider is one factor',
    file: proof,
    from: "categoryOf(amr) : 'know' }",
    to: "categoryOf(amr) : 'know+have' }",
    test: signIn,
    title: 'a second factor is requested after a provider, and completes the sign-in',
  },
  {
    name: 'provider-amr',
    against: 'Misused providers',
    what: 'what a provider says of factors counts where it is trusted with that',
    file: proof,
    from: "category: trustedAmr.has(issuer) ? categoryOf(amr) : 'know'",
    to: 'category: categoryOf(amr)',
    test: signIn,
    title: 'is spared by what a provider says that is trusted with it, and by nothing else: ["mfa"], false',
    written: 'is spared by what a provider says that is trusted with it, and by nothing else: %j, %s',
  },
  {
    name: 'provider-last-way-in',
    against: 'Misused providers',
    what: 'the last way in stays, and nothing ends',
    file: 'packages/accounts/src/use-cases/providers/unlink-provider.ts',
    from: '  if (!(await hasWayIn(context, holder.account, way))) throw refuseLast()\n',
    to: '',
    test: 'packages/accounts/test/providers/unlinked-accounts.test.ts',
    title: 'is never the last way in, and nothing changes, where the service offers passkeys',
    written: 'is never the last way in, and nothing changes, where the service %s',
  },
  {
    name: 'provider-reset',
    against: 'Misused providers',
    what: 'a reset of the password ends the links',
    file: 'packages/accounts/src/use-cases/remove-links.ts',
    from: 'if (await links?.remove(link)) {',
    to: 'if (links) {',
    test: 'packages/accounts/test/providers/links-after-reset.test.ts',
    title: 'a reset removes every link, so that no user of a provider signs in, and mails the owner about each',
  },
]
