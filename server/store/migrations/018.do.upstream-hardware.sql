-- What is demanded of the hardware that holds the key of an upstream's root; null: nothing.
alter table upstreams add column attested jsonb check (jsonb_typeof(attested) = 'object');

-- What an admitting verdict saw of that hardware; null where none is demanded.
alter table upstream_events add column hardware jsonb check (jsonb_typeof(hardware) = 'object');
