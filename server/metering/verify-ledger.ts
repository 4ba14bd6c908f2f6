import type { LedgerDifference, LedgerVerificationOutput } from '#contract/models'
import type { Sql } from '../store/connection.ts'

/** What `router ledger verify` prints (CMD-13). */
export type LedgerReport = Readonly<LedgerVerificationOutput>

/** Differences beyond this many are not listed, ours. */
const MAX_DIFFERENCES = 1_000

/**
 * Recomputes every sum that is kept as a column and matches every generation with its ledger row, on one snapshot:
 * it may run while the routers work. What lies here of `elsewhere`'s workspaces is not looked at (OPS-31).
 */
export async function verifyLedger(sql: Sql, elsewhere: readonly string[] = []): Promise<LedgerReport> {
  return await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    const away = [...elsewhere]
    // A month that is taken out is seen in both places or in none: locks take no snapshot, and this one is taken behind them.
    await snapshot`lock table generations, ledger in access share mode`
    const [counts] = await snapshot<Counts[]>`
      select
        (select count(*) from workspaces where id <> all (${away}::text[])) as workspaces,
        (select count(*) from ledger where workspace_id <> all (${away}::text[])) as entries,
        (select count(*) from generations where workspace_id <> all (${away}::text[])) as generations,
        (select count(*) from holds where workspace_id <> all (${away}::text[])) as open_holds,
        (select count(*) from book_months where detached_at is not null) as detached_months`
    const differences = await snapshot<LedgerDifference[]>`
      select * from (
        select 'balance' as check, w.id as workspace_id, w.id as subject,
          (coalesce(c.balance_micros, 0) + coalesce(l.sum, 0))::text as expected, w.balance_micros::text as actual
        from workspaces w
        left join carried_balances c on c.workspace_id = w.id
        left join (select workspace_id, sum(amount_micros) as sum from ledger group by 1) l
          on l.workspace_id = w.id
        where w.balance_micros <> coalesce(c.balance_micros, 0) + coalesce(l.sum, 0)

        union all
        select 'entries', w.id, w.id, coalesce(l.last, c.number, 0)::text, w.ledger_entries::text
        from workspaces w
        left join carried_balances c on c.workspace_id = w.id
        left join (select workspace_id, count(*) as count, max(number) as last from ledger group by 1) l
          on l.workspace_id = w.id
        where w.ledger_entries <> coalesce(l.last, c.number, 0) or l.count <> l.last - coalesce(c.number, 0)

        union all
        select 'balance_after', l.workspace_id, l.id, l.running::text, l.balance_after_micros::text
        from (
          select l.*,
            coalesce(c.balance_micros, 0)
              + sum(l.amount_micros) over (partition by l.workspace_id order by l.number) as running
          from ledger l
          left join carried_balances c on c.workspace_id = l.workspace_id
        ) l
        where l.balance_after_micros <> l.running

        -- What was carried forward is what the exports of the detached months hold.
        union all
        select 'carried', '', m.month, m.ledger_rows || ' rows ' || m.amount_micros, c.number || ' rows ' || c.balance
        from (
          select max(month) as month, sum(ledger_rows) as ledger_rows, sum(amount_micros) as amount_micros
          from book_months where detached_at is not null
        ) m
        cross join (
          select coalesce(sum(number), 0) as number, coalesce(sum(balance_micros), 0) as balance from carried_balances
        ) c
        where (coalesce(m.ledger_rows, 0), coalesce(m.amount_micros, 0)) <> (c.number, c.balance)

        union all
        select 'held', w.id, w.id, coalesce(h.sum, 0)::text, w.held_micros::text
        from workspaces w
        left join (select workspace_id, sum(amount_micros) as sum from holds group by 1) h on h.workspace_id = w.id
        where w.held_micros <> coalesce(h.sum, 0)

        union all
        select 'key_held', k.workspace_id, k.id, coalesce(h.sum, 0)::text, k.held_micros::text
        from api_keys k
        left join (select workspace_id, key_id, sum(amount_micros) as sum from holds group by 1, 2) h
          on h.workspace_id = k.workspace_id and h.key_id = k.id
        where k.held_micros <> coalesce(h.sum, 0)

        union all
        select 'key_spent', k.workspace_id, k.id, (coalesce(c.sum, 0) + coalesce(g.sum, 0))::text, k.spent_micros::text
        from api_keys k
        left join (
          select workspace_id, key_id, sum(cost_micros) as sum from carried_usage where grain = 'day' group by 1, 2
        ) c on c.workspace_id = k.workspace_id and c.key_id = k.id
        left join (select workspace_id, key_id, sum(cost_micros) as sum from generation_records group by 1, 2) g
          on g.workspace_id = k.workspace_id and g.key_id = k.id
        where k.spent_micros <> coalesce(c.sum, 0) + coalesce(g.sum, 0)

        union all
        select 'debit', coalesce(g.workspace_id, l.workspace_id), coalesce(g.id, l.reference),
          (-g.cost_micros)::text, l.amount_micros::text
        from generations g
        full join (
          select *, substr(idempotency_key, 12) as generation_id from ledger where kind = 'generation'
        ) l on l.workspace_id = g.workspace_id and l.generation_id = g.id
        where l.amount_micros is distinct from -g.cost_micros

        union all
        select 'refund', coalesce(g.workspace_id, l.workspace_id), coalesce(g.id, l.reference),
          g.refunded_micros::text, l.amount_micros::text
        from (select * from generation_records where refunded_micros <> 0) g
        full join (select * from ledger where idempotency_key like 'withheld:%') l
          on l.workspace_id = g.workspace_id and l.idempotency_key = 'withheld:' || g.id
        where l.amount_micros is distinct from g.refunded_micros
          -- Refunded in a later month than it was booked in, which has been detached since.
          and not (
            g.id is null and exists (select from book_months where detached_at is not null)
            and exists (
              select from withheld_generations w
              where w.workspace_id = l.workspace_id and 'withheld:' || w.id = l.idempotency_key
            )
          )

        union all
        select 'cost', g.workspace_id, g.id, c.cost::text, g.cost_micros::text
        from generation_records g
        cross join lateral (
          select ceil((
            g.prompt_tokens::numeric * g.prompt_price_micros
            + g.completion_tokens::numeric * g.completion_price_micros
          ) / 1000000) as cost
        ) c
        where g.cost_micros <> c.cost

        union all
        select 'usage', workspace_id, key_id || ' ' || model || ' ' || grain || ' ' || (begins_at at time zone 'UTC')::text,
          concat_ws(' ', g.requests, g.prompt_tokens, g.completion_tokens, g.cost_micros),
          concat_ws(' ', u.requests, u.prompt_tokens, u.completion_tokens, u.cost_micros)
        from (
          select workspace_id, grain, begins_at, key_id, model, sum(requests) as requests,
            sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
            sum(cost_micros) as cost_micros
          from (
            select workspace_id, grain, date_trunc(grain, created_at, 'UTC') as begins_at, key_id, model,
              count(*) as requests, sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
              sum(cost_micros) as cost_micros
            from generation_records cross join (values ('hour'), ('day')) t (grain)
            group by 1, 2, 3, 4, 5
            union all
            select * from carried_usage
          ) part
          group by 1, 2, 3, 4, 5
        ) g
        full join usage_totals u using (workspace_id, grain, begins_at, key_id, model)
        where (g.requests, g.prompt_tokens, g.completion_tokens, g.cost_micros)
          is distinct from (u.requests, u.prompt_tokens, u.completion_tokens, u.cost_micros)

        union all
        select 'settled_but_held', h.workspace_id, h.generation_id, null, h.amount_micros::text
        from holds h
        join generations g on g.workspace_id = h.workspace_id and g.id = h.generation_id
      ) difference
      where workspace_id <> all (${away}::text[])
      order by 1, 2, 3
      limit ${MAX_DIFFERENCES}`
    return { ...toNumbers(counts!), differences: [...differences] }
  })
}

interface Counts {
  readonly workspaces: bigint
  readonly entries: bigint
  readonly generations: bigint
  readonly open_holds: bigint
  readonly detached_months: bigint
}

function toNumbers(counts: Counts): Omit<LedgerReport, 'differences'> {
  return {
    workspaces: Number(counts.workspaces),
    entries: Number(counts.entries),
    generations: Number(counts.generations),
    open_holds: Number(counts.open_holds),
    detached_months: Number(counts.detached_months),
  }
}
