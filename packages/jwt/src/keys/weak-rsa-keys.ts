/**
 * The primes up to 167 of which 65537 does not generate all residues. Every modulus of the faulty library is a power of
 * 65537 modulo each of them; of others one in 2^27.8 is.
 */
const discriminatingPrimes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157] as const

let markedResidues: readonly { readonly prime: bigint; readonly residues: ReadonlySet<bigint> }[] | null = null

/**
 * Whether an RSA modulus has the fingerprint of CVE-2017-15361 (ROCA): its primes were made as k·M + (65537^a mod M), M
 * being a product of small primes, so its private key can be computed from it (M. Nemec et al., 2017, §2 and §3).
 */
export function hasRocaFingerprint(modulus: bigint): boolean {
  markedResidues ??= discriminatingPrimes.map((prime) => ({ prime: BigInt(prime), residues: powersModulo(prime) }))
  return markedResidues.every(({ prime, residues }) => residues.has(modulus % prime))
}

/** Returns all powers of 65537 modulo a prime. */
function powersModulo(prime: number): ReadonlySet<bigint> {
  const powers = new Set<bigint>()
  for (let power = 1; !powers.has(BigInt(power)); power = (power * 65_537) % prime) powers.add(BigInt(power))
  return powers
}
