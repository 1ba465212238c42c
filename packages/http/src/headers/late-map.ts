/**
 * A map that is made when it is first read. It is a member like any other: a copy of the object that has it has it as well, and
 * an accessor of an object that is made for each request costs more than the map.
 */
export class LateMap<Value> implements ReadonlyMap<string, Value> {
  readonly #make: () => ReadonlyMap<string, Value>
  #made: ReadonlyMap<string, Value> | null = null

  constructor(make: () => ReadonlyMap<string, Value>) {
    this.#make = make
  }

  get size(): number {
    return (this.#made ?? this.#read()).size
  }

  get(name: string): Value | undefined {
    return (this.#made ?? this.#read()).get(name)
  }

  has(name: string): boolean {
    return (this.#made ?? this.#read()).has(name)
  }

  forEach(call: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [name, value] of this.#read()) call(value, name, this)
  }

  entries(): MapIterator<[string, Value]> {
    return this.#read().entries()
  }

  keys(): MapIterator<string> {
    return this.#read().keys()
  }

  values(): MapIterator<Value> {
    return this.#read().values()
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }

  #read(): ReadonlyMap<string, Value> {
    this.#made ??= this.#make()
    return this.#made
  }
}
