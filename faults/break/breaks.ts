import type { Sql } from '../../server/store/connection.ts'

/** A settlement that is wrong on purpose, to show that a run tells. */
export interface Break {
  readonly what: string
  /** Plants it in the database: the product is left as it is. */
  plant(sql: Sql): Promise<void>
}

/** By the name that `--break` takes. */
export const breaks: Readonly<Record<string, Break>> = {
  'free-ride': {
    what: 'every fifth debit is left out',
    plant: (sql) =>
      trigger(sql, 'ledger', 'insert', `new.number % 5 = 0 and new.kind = 'generation'`, 'return null'),
  },
  'half-price': {
    what: 'every fifth debit takes half, balance and all',
    plant: (sql) =>
      trigger(
        sql,
        'generations',
        'insert',
        'hashtext(new.id) % 5 = 0',
        'new.cost_micros := new.cost_micros / 2; return new',
      ),
  },
  'says-ok': {
    what: 'what was aborted is on record as ok',
    plant: (sql) =>
      trigger(sql, 'generations', 'insert', `new.status = 'aborted'`, `new.status := 'ok'; return new`),
  },
  'keeps-holds': {
    what: 'every fifth hold is kept',
    plant: (sql) => trigger(sql, 'holds', 'delete', 'hashtext(old.generation_id) % 5 = 0', 'return null'),
  },
  miscounts: {
    what: 'a token more is on record than was told',
    plant: (sql) =>
      trigger(
        sql,
        'generations',
        'insert',
        'hashtext(new.id) % 5 = 0',
        'new.completion_tokens := new.completion_tokens + 1; return new',
      ),
  },
}

async function trigger(
  sql: Sql,
  table: string,
  event: 'insert' | 'delete',
  condition: string,
  body: string,
): Promise<void> {
  const otherwise = event === 'insert' ? 'new' : 'old'
  await sql.unsafe(`
    create function planted_fault() returns trigger language plpgsql as $$
    begin
      if ${condition} then ${body}; end if;
      return ${otherwise};
    end
    $$;
    create trigger planted_fault before ${event} on ${table} for each row execute function planted_fault()`)
}
