"""What query engines make of a lake: the same few questions for each."""

import functools
import os
import pathlib

TOTALS = ("input", "output", "cached", "thoughts", "tool", "total")
TABLES = ("requests", "sessions", "tool_calls")


# --- sums over files

def duckdb_sums(root):
    return sums(duckdb_ask(), lambda table: f"read_parquet('{root}/{glob(table)}')", "hugeint")


def duckdb_s3_sums(bucket, endpoint):
    return sums(duckdb_ask(endpoint), lambda table: f"read_parquet('s3://{bucket}/{glob(table)}')", "hugeint")


def clickhouse_sums(root):
    return sums(clickhouse_ask, lambda table: f"file('{root}/{glob(table)}', 'Parquet')", "Int128")


def clickhouse_s3_sums(bucket, endpoint):
    return sums(clickhouse_ask, lambda table: f"s3('http://{endpoint}/{bucket}/{glob(table)}', 'x', 'x', 'Parquet')", "Int128")


def polars_sums(root):
    import polars

    return frame_sums(lambda table: polars.scan_parquet(f"{root}/{glob(table)}"))


def spark_sums(root):
    spark = spark_session()
    found = {}
    for table in TABLES:
        frame = spark.read.parquet(f"{root}/v1/{table}")
        found[table] = frame.count()
        if table == "requests":
            row = frame.agg({name: "sum" for name in TOTALS}).first()
            found |= {name: int(row[f"sum({name})"]) for name in TOTALS}
        if table == "tool_calls":
            found["live_calls"] = frame.filter("state = 'current'").count()
    return found


# --- sums over files that were registered as tables; `places` are by table

def duckdb_iceberg_sums(places):
    ask = duckdb_ask(extensions=("avro", "iceberg"))
    return sums(ask, lambda table: f"iceberg_scan('{places[table]['metadata']}')", "hugeint")


def clickhouse_iceberg_sums(places):
    return sums(clickhouse_ask, lambda table: f"icebergLocal('{os.path.relpath(places[table]['directory'])}')", "Int128")


def polars_iceberg_sums(places):
    import polars

    return frame_sums(lambda table: polars.scan_iceberg(places[table]["table"]))


def pyiceberg_iceberg_sums(places):
    import polars

    return frame_sums(lambda table: polars.from_arrow(places[table]["table"].scan().to_arrow()).lazy())


def duckdb_delta_sums(places):
    ask = duckdb_ask(extensions=("delta",))
    return sums(ask, lambda table: f"delta_scan('{places[table]}')", "hugeint")


def clickhouse_delta_sums(places):
    return sums(clickhouse_ask, lambda table: f"deltaLakeLocal('{places[table]}')", "Int128")


def polars_delta_sums(places):
    import polars

    return frame_sums(lambda table: polars.scan_delta(str(places[table])))


def deltalake_delta_sums(places):
    import polars
    from deltalake import DeltaTable

    return frame_sums(lambda table: polars.from_arrow(DeltaTable(str(places[table])).to_pyarrow_table()).lazy())


# --- how each is asked

def duckdb_ask(endpoint=None, extensions=()):
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for name in (("httpfs",) if endpoint else ()) + tuple(extensions):
        connection.execute(f"load '{duckdb_extension(name)}'")
    if endpoint:
        for name, value in (("endpoint", endpoint), ("access_key_id", "x"), ("secret_access_key", "x"), ("url_style", "path")):
            connection.execute(f"set s3_{name} = '{value}'")
        connection.execute("set s3_use_ssl = false")
    return lambda sql: connection.execute(sql).fetchall()[0]


def duckdb_extension(name):
    """Extensions come as packages; the network is not asked for them."""
    import importlib.util

    found = importlib.util.find_spec(f"duckdb_extension_{name}")
    if found is None:
        raise ImportError(f"duckdb-extension-{name}")
    [extension] = pathlib.Path(found.submodule_search_locations[0]).rglob(f"{name}.duckdb_extension")
    return extension


def clickhouse_ask(sql):
    text = clickhouse().query(sql, "CSV").data().strip()
    return [int(it) if it != "\\N" else None for it in text.split(",")]


@functools.cache
def clickhouse():
    from chdb.session import Session

    return Session()


@functools.cache
def spark_session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    return builder.config("spark.log.level", "ERROR").config("spark.sql.session.timeZone", "UTC").getOrCreate()


def glob(table):
    return f"v1/{table}/*/*.parquet"


# What is never empty, whatever was recorded.
ALWAYS = ("origin", "host", "user", "schema", "session_id", "project_key")


def sums(ask, source, wide):
    found = {}
    for table in TABLES:
        nulls = " + ".join(f'count(*) - count("{name}")' for name in ALWAYS)
        found[table], found[f"{table} NULLs"] = (int(it) for it in ask(f"select count(*), {nulls} from {source(table)}"))
    added = ", ".join(f"cast(sum({name}) as {wide})" for name in TOTALS)
    found |= dict(zip(TOTALS, [int(it) for it in ask(f"select {added} from {source('requests')}")]))
    [found["live_calls"]] = [int(it) for it in ask(f"select count(*) from {source('tool_calls')} where state = 'current'")]
    return found


def frame_sums(scan):
    import polars

    found = {}
    for table in TABLES:
        frame = scan(table)
        nulls = polars.sum_horizontal(polars.col(name).null_count() for name in ALWAYS)
        found[table], found[f"{table} NULLs"] = frame.select(polars.len(), nulls.alias("nulls")).collect().row(0)
        if table == "requests":
            found |= frame.select(polars.col(name).sum() for name in TOTALS).collect().row(0, named=True)
        if table == "tool_calls":
            found["live_calls"] = frame.filter(polars.col("state") == "current").select(polars.len()).collect().item()
    return found


# --- what people are told to run; the number of questions that got an answer

@functools.cache
def duckdb_open():
    import duckdb

    return duckdb.connect()


def duckdb_run(code):
    answered = 0
    for it in statements_of(code):
        # Python would want another package for times with a zone.
        sql = it if it.startswith("CREATE") else f"select count(*) from ({it})"
        [row] = duckdb_open().execute(sql).fetchall() or [[1]]
        answered += row[0] > 0
    return answered


def clickhouse_run(code):
    return sum(bool(clickhouse().query(it, "CSV").data()) or it.startswith("CREATE") for it in statements_of(code))


def python_run(code, wants_spark):
    exec(code, {"spark": spark_session()} if wants_spark else {})


def statements_of(code):
    lines = [line for line in code.split("\n") if not line.startswith("--")]
    return [it.strip() for it in "\n".join(lines).split(";") if it.strip()]


# --- types

# What each engine calls the types of the columns.
TYPES = {
    "varchar": {"duckdb": {"VARCHAR"}, "clickhouse": {"String"}, "polars": {"String"}, "spark": {"string"}},
    "bigint": {"duckdb": {"BIGINT"}, "clickhouse": {"Int64"}, "polars": {"Int64"}, "spark": {"bigint"}},
    "integer": {"duckdb": {"INTEGER"}, "clickhouse": {"Int32"}, "polars": {"Int32"}, "spark": {"int"}},
    "boolean": {"duckdb": {"BOOLEAN"}, "clickhouse": {"Bool"}, "polars": {"Boolean"}, "spark": {"boolean"}},
    "timestamp with time zone": {
        "duckdb": {"TIMESTAMP WITH TIME ZONE"},
        "clickhouse": {"DateTime64(6, 'UTC')", "DateTime64(6)"},
        "polars": {"Datetime(time_unit='us', time_zone='UTC')"},
        "spark": {"timestamp"},
    },
    "decimal(18,9)": {
        "duckdb": {"DECIMAL(18,9)"},
        "clickhouse": {"Decimal(18, 9)"},
        "polars": {"Decimal(precision=18, scale=9)"},
        "spark": {"decimal(18,9)"},
    },
}


def duckdb_types(file):
    import duckdb

    rows = duckdb.sql(f"describe select * from read_parquet('{file}', hive_partitioning = false)").fetchall()
    return {row[0]: str(row[1]) for row in rows}


def clickhouse_types(file):
    rows = clickhouse().query(f"describe table file('{file}', 'Parquet')", "TSV").data()
    fields = [line.split("\t")[:2] for line in rows.strip().split("\n")]
    def bare(kind):
        return kind.removeprefix("Nullable(").removesuffix(")") if kind.startswith("Nullable(") else kind
    # ClickHouse reads the month off the directory.
    return {name: bare(kind).replace("\\'", "'") for name, kind in fields if name != "month"}


def polars_types(file):
    import polars

    return {name: str(kind) for name, kind in polars.read_parquet_schema(file).items()}


def spark_types(file):
    return dict(spark_session().read.parquet(str(file)).dtypes)


# --- a number for all values of a column, which only those get who read every one of them

def duckdb_values(file, columns):
    ask = duckdb_ask()
    forms = {"varchar": "sum(length({}))", "boolean": "sum({}::int)", "timestamp with time zone": "sum(epoch_us({}))",
             "decimal(18,9)": "sum({}) * 1000000000"}
    row = ask(f"select {listed(columns, forms)} from read_parquet('{file}', hive_partitioning = false)")
    return [None if it is None else int(it) for it in row]


def clickhouse_values(file, columns):
    forms = {"varchar": "toInt128(sum(lengthUTF8({})))", "boolean": "toInt128(sum(toInt8({})))",
             "timestamp with time zone": "toInt128(sum(toUnixTimestamp64Micro({})))",
             "decimal(18,9)": "toInt128(sum(toDecimal128({}, 9)) * 1000000000)"}
    return clickhouse_ask(f"select {listed(columns, forms, 'toInt128(sum({}))')} from file('{file}', 'Parquet')")


def polars_values(file, columns):
    import polars

    frame = polars.read_parquet(file, hive_partitioning=False)
    found = []
    for name, kind in columns:
        column = frame[name].drop_nulls()
        if not len(column):
            found.append(None)
        elif kind == "varchar":
            found.append(int(column.str.len_chars().cast(polars.Int64).sum()))
        elif kind == "timestamp with time zone":
            found.append(int(column.dt.timestamp("us").sum()))
        elif kind == "decimal(18,9)":
            found.append(sum(int(it.scaleb(9)) for it in column))
        else:
            found.append(int(column.sum()))
    return found


def spark_values(file, columns):
    forms = {"varchar": "sum(length({}))", "boolean": "sum(int({}))", "timestamp with time zone": "sum(unix_micros({}))",
             "decimal(18,9)": "sum({}) * 1000000000"}
    frame = spark_session().read.parquet(str(file))
    frame.createOrReplaceTempView("file")
    row = spark_session().sql(f"select {listed(columns, forms, quote='`')} from file").first()
    return [None if it is None else int(it) for it in row]


def listed(columns, forms, otherwise="sum({})", quote='"'):
    return ", ".join(forms.get(kind, otherwise).format(f"{quote}{name}{quote}") for name, kind in columns)
